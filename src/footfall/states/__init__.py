"""State machines in Amazon States Language. Pure: values in, values out; who runs them brings disk, clock and tasks."""
