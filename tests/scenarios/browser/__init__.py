"""Scenarios in a real browser. A package, so that one Chromium and one instance serve all of them."""
