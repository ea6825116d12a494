/** Most bytes of a form. */
const largestForm = 64 * 1024;

export const formType = 'application/x-www-form-urlencoded';

/** What a form holds; undefined where it is too large. */
export async function readForm(request: Request): Promise<URLSearchParams | undefined> {
	const chunks: Uint8Array[] = [];
	let size = 0;
	for await (const chunk of request.body ?? []) {
		size += chunk.length;
		if (size > largestForm) {
			return undefined;
		}

		chunks.push(chunk);
	}

	return new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
}
