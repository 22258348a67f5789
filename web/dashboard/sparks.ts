// The shape of a small line, and what it says in words. Pure.

export function sparkPath(values: readonly number[], width: number, height: number): string {
  if (values.length < 2) return "";
  const most = Math.max(1, ...values);
  const step = width / (values.length - 1);
  const points = values.map((value, place) => {
    const y = height - 1 - (value / most) * (height - 2);
    return `${(place * step).toFixed(1)} ${y.toFixed(1)}`;
  });
  return `M${points.join("L")}`;
}

export function sparkWords(values: readonly number[]): string {
  if (!values.length) return "no hits";
  const most = Math.max(...values);
  const last = values.at(-1) ?? 0;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const way = last > mean * 1.25 ? "rising" : last < mean * 0.75 ? "falling" : "steady";
  return `${way}; at most ${most} in one window, ${last} in the last`;
}
