"""The metric catalogue: numbers that are defined once, with versions, formulas, units and where they come from."""
