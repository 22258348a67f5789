"""footfall side by side with what people would pick instead: the same bytes, the same questions, in the same run."""
