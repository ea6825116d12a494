import {AppError} from '../core/error.ts';
import type {Client} from './client.ts';
import {isPageInstead, refusalOf} from './refusal.ts';
import {isOfAnotherShape} from './request.ts';

/**
 * Returns the result of an extension of the API; undefined if the server doesn't offer it: it may not know the path, or use
 * it for something else. A 404 can also mean that the organization or workspace doesn't exist, and a response can be
 * damaged: a server that lists organizations has the other extensions too, so its error is thrown like any other.
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

/**
 * Throws AppError("not-found") for a host that doesn't know the preferences of a user either, which every server has: it is
 * no server of this API.
 */
export async function assertServer(client: Client, server: string, signal?: AbortSignal): Promise<void> {
	try {
		await client.getUserPreferences({}, signal);
	} catch (error) {
		throw isMissing(error)
			? new AppError('not-found', `${server} doesn't look like a service server.`, {
					hint: 'Check the URL, also the path that it begins with.',
					cause: error,
				})
			: error;
	}
}

/**
 * Returns true for the error of a path that the server doesn't know, has other methods for, or uses for something else. A web
 * page says that no API is there at all.
 */
function isMissing(error: unknown): boolean {
	const status = refusalOf(error)?.status;
	return ((status === 404 || status === 405) && !isPageInstead(error)) || isOfAnotherShape(error);
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
