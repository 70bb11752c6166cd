"""Seeing what happened: placement logs, explanations, reports. All of them are observers."""
