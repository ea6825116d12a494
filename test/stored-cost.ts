/** Returns the most that a cost may be, given the stored figure: growth of more than 10 % needs a new figure and a reason. */
export const mostFor = (stored: number): number => stored * 1.1;
