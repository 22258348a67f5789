"""The grounds footfall stands on: what each promises, its limits and its errors."""
