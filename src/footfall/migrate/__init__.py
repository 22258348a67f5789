"""Moving a live relational database into a table: copied, followed, verified, handed over, and back again."""
