import {isOfAnotherShape} from './answer.ts';
import type {Client} from './client.ts';
import {refusalOf} from './refusal.ts';

/**
 * Returns the answer to an extension of the API, undefined where the server does not offer it: another server may not know
 * the path, or answer something else there. A 404 can also mean that the organization or workspace does not exist, and an
 * answer can be damaged: a server that lists organizations has the other extensions too, and its error is thrown, as every
 * other error is.
 */
export async function ifOffered<Answer>(
	client: Pick<Client, 'listOrganizations'>,
	asked: Promise<Answer>,
	signal?: AbortSignal,
): Promise<Answer | undefined> {
	try {
		return await asked;
	} catch (error) {
		if (isMissing(error) && !(await offersExtensions(client, signal))) {
			return undefined;
		}

		throw error;
	}
}

/** True for the answers of a path that a server does not know, knows with other methods alone, or uses for something else. */
function isMissing(error: unknown): boolean {
	const status = refusalOf(error)?.status;
	return status === 404 || status === 405 || isOfAnotherShape(error);
}

async function offersExtensions(client: Pick<Client, 'listOrganizations'>, signal?: AbortSignal): Promise<boolean> {
	try {
		await client.listOrganizations({query: {page_size: 1}}, signal);
		return true;
	} catch (error) {
		if (isMissing(error)) {
			return false;
		}

		throw error;
	}
}
