import {readBody} from './body.ts';
import {HttpError} from './http-error.ts';

const maxFormBytes = 64 * 1024;

export const formType = 'application/x-www-form-urlencoded';

/** Returns the fields of a form; undefined if it is too large or incomplete. */
export async function readForm(request: Request): Promise<URLSearchParams | undefined> {
	try {
		return new URLSearchParams(Buffer.from(await readBody(request, maxFormBytes)).toString('utf8'));
	} catch (error) {
		if (error instanceof HttpError) {
			return undefined;
		}

		throw error;
	}
}
