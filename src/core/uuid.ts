/** The source of an expression for a UUID of any version in lower case (RFC 9562, section 4). */
export const uuidSource = String.raw`[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}`;

const whole = new RegExp(`^${uuidSource}$`);
const wholeInAnyCase = new RegExp(whole, 'i');

/** True for a UUID in lower case and nothing else. */
export function isUuid(text: string): boolean {
	return whole.test(text);
}

/** True for a UUID in letters of any case and nothing else, as other programs write it. */
export function isAnyUuid(text: string): boolean {
	return wholeInAnyCase.test(text);
}

/** A shorter prefix of an id may match by accident. */
export const minPrefixLength = 4;
