"""Rules written in Python: built-in ones again, one that fails, one that records its calls."""

from beamtree.rules import Rule


class Counted(Rule):
    """A rule whose threshold grows by the steps of the schedule."""

    start = 0

    def __init__(self, limit=float("inf")):
        self.threshold = self.start
        self.limit = limit

    def initial_state(self, _ctx):
        return 0

    def relax(self, step):
        before = self.threshold
        self.threshold = min(self.threshold + step, self.limit)
        return self.threshold > before


class OwnDiscrepancy(Counted):
    def update(self, state, ctx):
        return state + ctx.rank

    def prune(self, state):
        return state > self.threshold


class OwnTopK(Counted):
    start = 1

    def update(self, _state, ctx):
        return ctx.rank

    def prune(self, state):
        return state >= self.threshold


class OwnPurity(Rule):
    closes_nodes = True

    def __init__(self, unit=0.002):
        self.threshold = 0.0
        self.unit = unit

    def initial_state(self, ctx):
        return 1.0 - ctx.error / ctx.weight

    def update(self, _state, ctx):
        return self.initial_state(ctx)

    def prune(self, state):
        return state >= self.threshold

    def relax(self, step):
        before = self.threshold
        self.threshold = min(self.threshold + self.unit * step, 1.0)
        return self.threshold > before


class Failing(OwnDiscrepancy):
    """A rule that raises in one of its functions, from the nth call on."""

    def __init__(self, function, call=1):
        super().__init__()
        self.function = function
        self.left = call

    def _called(self, function):
        if function == self.function:
            self.left -= 1
            if self.left <= 0:
                raise ZeroDivisionError(f"in {function}")

    def initial_state(self, ctx):
        self._called("initial_state")
        return super().initial_state(ctx)

    def update(self, state, ctx):
        self._called("update")
        return super().update(state, ctx)

    def prune(self, state):
        self._called("prune")
        return super().prune(state)

    def relax(self, step):
        self._called("relax")
        return super().relax(step)

    def terminal_state(self, state):
        self._called("terminal_state")
        return super().terminal_state(state)


class Listening(OwnDiscrepancy):
    """A rule that records its arguments; its copies write into the same lists."""

    def __init__(self):
        super().__init__()
        self.roots, self.children, self.steps = [], [], []

    def __deepcopy__(self, memo):
        twin = type(self)()
        twin.roots, twin.children, twin.steps = self.roots, self.children, self.steps
        return twin

    def initial_state(self, ctx):
        self.roots.append(ctx)
        return super().initial_state(ctx)

    def update(self, state, ctx):
        self.children.append(ctx)
        return super().update(state, ctx)

    def relax(self, step):
        self.steps.append(step)
        return super().relax(step)
