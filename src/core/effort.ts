/** How much a model thinks before it answers, from little to all that it can. */
export const efforts = ['low', 'medium', 'high', 'max'] as const;
export type Effort = (typeof efforts)[number];

/** Returns the efforts among these values, by model. */
export function knownEfforts(stored: Readonly<Record<string, string>> = {}): Readonly<Record<string, Effort>> {
	const found: Record<string, Effort> = {};
	for (const [model, value] of Object.entries(stored)) {
		const effort = efforts.find(each => each === value);
		if (effort) {
			found[model] = effort;
		}
	}

	return found;
}
