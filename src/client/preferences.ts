import {endpoints} from '../contract/endpoints.ts';
import {type InferenceInfo, inferenceInfoSchema} from '../contract/resources/preferences.ts';
import {cutLine} from '../core/cut-text.ts';
import {AppError} from '../core/error.ts';
import {isJsonObject, type JsonObject, parseJson} from '../core/json.ts';
import {isWebPage, readText} from '../net/read-body.ts';
import type {Transport} from '../net/transport.ts';
import {reasonOf} from './refusal.ts';

const maxBytes = 4 * 1024 * 1024;
/** In cells. */
const maxUser = 120;

/** The part of `UserPreferencesResponse` that is read. Invalid models are left out. */
export type Preferences = {
	readonly models: readonly InferenceInfo[];
	/** Whose they are, in a few words such as `ann@acme.example in acme`; undefined if the server doesn't say. */
	readonly user: string | undefined;
};

/**
 * Calls `GET /api/v1/user/preferences`, which also proves the credential of `transport`: 401 means that it's invalid.
 * `isLogin` is true for the token of a login, false for an API key. Throws AppError("auth") if the credential is rejected,
 * AppError("upgrade") if the server requires a newer client, AppError("network") if the response isn't the API's.
 */
export async function getPreferences(
	server: string,
	transport: Transport,
	signal?: AbortSignal,
	{isLogin = false} = {},
): Promise<Preferences> {
	const {method, path} = endpoints.getUserPreferences;
	const response = await transport({
		method,
		url: `${server}${path}`,
		headers: {accept: 'application/json'},
		...(signal && {signal}),
	});
	const text = await readText(response, {from: server, maxBytes});
	if (response.status < 500 && isWebPage(response.headers, text)) {
		throw unlikely(server, 'it returned a web page');
	}

	const answer = parseJson(text);
	const why = reasonOf(response.headers, text).detail;
	const detail = why ? ` (${why})` : '';
	switch (response.status) {
		case 200:
			break;
		case 401:
			throw isLogin
				? new AppError('auth', `${server} rejected the login${detail}.`, {
						hint: `Log in again: \`login --server ${server}\``,
						logInTo: server,
					})
				: new AppError('auth', `${server} rejected the key${detail}.`, {
						hint: 'Check the key, or create a new one there.',
					});
		case 403:
			// The key may be valid: our own server refuses host names that it doesn't know.
			throw new AppError('auth', `${server} does not allow this${detail}.`, {
				hint: 'Check the address and the key, or ask its administrator.',
			});
		case 426:
			throw new AppError('upgrade', `${server} needs a newer version of service${detail}.`, {hint: 'Update service.'});
		default:
			throw new AppError('network', `${server} answered ${response.status}${detail}.`, {
				hint: response.status === 404 ? 'Is this the address of a service server?' : 'Try again later.',
			});
	}

	if (!isJsonObject(answer)) {
		throw unlikely(server, 'it returned something else');
	}

	const models = Array.isArray(answer['models']) ? answer['models'] : [];
	return {
		models: models.flatMap(model => inferenceInfoSchema.safeParse(model).data ?? []),
		user: userIn(answer),
	};
}

function userIn({user_email: email, organizations}: JsonObject): string | undefined {
	const names = Array.isArray(organizations) ? organizations.filter(name => typeof name === 'string').slice(0, 3) : [];
	return typeof email === 'string'
		? cutLine(names.length > 0 ? `${email} in ${names.join(', ')}` : email, maxUser)
		: undefined;
}

/**
 * Verifies that a server has the platform's API before the user is asked for a credential; `transport` has none. A 401 or
 * 403 of the API proves it. Throws what `getPreferences` throws for everything else.
 */
export async function recognizeServer(server: string, transport: Transport, signal: AbortSignal): Promise<void> {
	try {
		await getPreferences(server, transport, signal);
	} catch (error) {
		if (!(error instanceof AppError && error.code === 'auth')) {
			throw error;
		}
	}
}

function unlikely(server: string, why: string): AppError {
	return new AppError('network', `${server} doesn't look like a service server (${why}).`, {
		hint: 'Check the URL.',
		permanent: true,
	});
}
