"""What traffic will cost and where it will break: traffic, prices, a simulator of the engines, and the plan of them."""
