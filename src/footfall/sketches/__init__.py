"""Small summaries of large sets: how many were distinct, of one set or of many at once. Pure: values in, values out."""
