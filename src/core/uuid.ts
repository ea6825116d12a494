/** What a UUID looks like in lower case, whatever its version (RFC 9562, section 4), as the source of an expression. */
export const uuidSource = String.raw`[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}`;

const whole = new RegExp(`^${uuidSource}$`);

/** True for a UUID in lower case, and nothing else beside it. */
export function isUuid(text: string): boolean {
	return whole.test(text);
}
