import type {Client} from './client.ts';
import {refusalOf} from './refusal.ts';

/**
 * The answer to an extension of the API, undefined where the server does not offer it. A 404 can also mean that the
 * organization or workspace does not exist: a server that lists organizations has the other extensions too, and its
 * refusal is thrown, as every other error is.
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

/** True for the statuses of a path that a server does not know, or that it knows with other methods alone. */
function isMissing(error: unknown): boolean {
	const status = refusalOf(error)?.status;
	return status === 404 || status === 405;
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
