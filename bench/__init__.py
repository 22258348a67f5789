"""Measurements of footfall as a user has it; `python -m bench` runs them, bench/README.md explains them."""
