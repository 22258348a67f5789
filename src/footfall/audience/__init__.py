"""The audience: who follows what, where each member was, what plays now, and what watching earned."""
