"""The search behind the estimators: encoded rows and settings in, improvements and results out."""
