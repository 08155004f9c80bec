// A pie as the outlines of its slices, about 0,0 with the radius 1, clockwise from the top.

const point = (turn: number) => {
  const angle = 2 * Math.PI * (turn - 0.25);
  return `${Math.cos(angle).toFixed(5)} ${Math.sin(angle).toFixed(5)}`;
};

/** An SVG path for each share; shares are parts of 1. */
export function pieSlices(shares: readonly number[]): string[] {
  let start = 0;
  return shares.map((share) => {
    const end = Math.min(start + share, 1);
    const from = point(start);
    start = end;
    if (share <= 0) return '';
    if (share > 0.99999) return 'M0 -1A1 1 0 1 1 0 1A1 1 0 1 1 0 -1Z';
    return `M0 0L${from}A1 1 0 ${share > 0.5 ? 1 : 0} 1 ${point(end)}Z`;
  });
}
