"""Strategies: how a program's steps are spread over devices."""
