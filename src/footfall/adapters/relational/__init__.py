"""MySQL, MariaDB and PostgreSQL as databases that are being moved."""
