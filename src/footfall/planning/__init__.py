"""What traffic will cost and where it will break: traffic, prices, simulated engines, and the plan made of them."""
