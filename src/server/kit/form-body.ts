import {readBytes} from './body.ts';
import {Refusal} from './refusal.ts';

const largestForm = 64 * 1024;

export const formType = 'application/x-www-form-urlencoded';

/** Returns the fields of a form; undefined if it is too large or incomplete. */
export async function readForm(request: Request): Promise<URLSearchParams | undefined> {
	try {
		return new URLSearchParams(Buffer.from(await readBytes(request, largestForm)).toString('utf8'));
	} catch (error) {
		if (error instanceof Refusal) {
			return undefined;
		}

		throw error;
	}
}
