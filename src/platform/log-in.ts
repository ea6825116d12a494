import type {Tokens} from '../client/tokens.ts';
import type {Profile} from '../config/config-data.ts';
import {profileOfServer, type StoredCredential, saveProfile} from '../config/profiles.ts';
import {storedWhere} from '../config/stored-where.ts';
import {entryOf} from '../core/entry-of.ts';
import {AppError} from '../core/error.ts';
import {type Origin, originOf, profileNameOf} from '../core/origin.ts';
import {isKeyText, type Secret, secret} from '../core/secrets/secret.ts';
import type {AccessContext} from './access-context.ts';

/**
 * The API key of a server: `given`, or asked for. Undefined when the person cancels. Throws `usage` for an empty one and
 * for one that cannot be sent.
 */
async function askApiKey(
	server: URL,
	{interact}: AccessContext,
	given: string | undefined,
): Promise<Secret | undefined> {
	const typed = given ?? (await interact.ask({label: `API key for ${server.host}:`, masked: true}));
	const key = typed?.trim();
	if (key === '') {
		throw new AppError('usage', 'No API key given.', {hint: 'Create an API key on the server, then enter it here.'});
	}

	if (key !== undefined && !isKeyText(key)) {
		throw new AppError('usage', 'Invalid API key: it contains spaces or other characters.', {
			hint: 'Copy the key exactly as the server shows it.',
		});
	}

	return key === undefined ? undefined : secret(key);
}

/**
 * Logs in the way the server offers: through the person's browser, else with an API key. `key`, `withToken` and a key that
 * is piped in want an API key at any server, which is asked for once the server is known to be one. Undefined when the
 * person cancels. Throws `auth`, `network`, or `usage` for a profile of another server.
 */
export async function logIn(
	server: URL,
	context: AccessContext,
	{key, withToken = false}: {readonly key?: string | undefined; readonly withToken?: boolean} = {},
): Promise<SignedIn | undefined> {
	// A login that could not be stored is not begun.
	profileName(server, context);
	const given = key || (withToken ? undefined : await context.interact.piped?.());
	const tokens = given || withToken ? undefined : await logInByBrowser(originOf(server.href), context);
	if (tokens === 'cancelled') {
		return undefined;
	}

	if (tokens) {
		return signIn(server, tokens, context);
	}

	const {insecureHttp} = context.flags;
	await context.platform.recognize(server.origin, {insecureHttp, signal: context.signal});
	const apiKey = await askApiKey(server, context, given || undefined);
	return apiKey && signIn(server, {apiKey}, context);
}

/** Logs the user in through a browser; undefined where the server cannot do that. */
async function logInByBrowser(
	server: Origin,
	{platform, interact, flags, signal}: AccessContext,
): Promise<Tokens | 'cancelled' | undefined> {
	const leave = new AbortController();
	let hide: () => void = () => undefined;
	try {
		return await platform.logIn(
			server,
			({userCode: code, page, pageWithCode, expiresAt}) => {
				hide = interact.showLogin({server, page, pageWithCode, code, expiresAt}, () => leave.abort());
			},
			{insecureHttp: flags.insecureHttp, signal: AbortSignal.any([signal, leave.signal])},
		);
	} catch (error) {
		if (leave.signal.aborted && !signal.aborted) {
			return 'cancelled';
		}

		throw error;
	} finally {
		hide();
	}
}

/** A profile that was just logged in, and a sentence that says where its secrets are, where there is something to say. */
export type SignedIn = Profile & {readonly storedWhere: string | undefined};

/**
 * Proves a credential at its server, then stores it as a profile and makes that the active one. Nothing changes where the
 * server refuses or does not answer. Throws `auth`, `network`, or `usage` for a profile of another server.
 */
async function signIn(server: URL, credential: StoredCredential, context: AccessContext): Promise<SignedIn> {
	const {platform, config, flags, store, signal} = context;
	const {org, workspace, project, insecureHttp} = flags;
	const name = profileName(server, context);
	const {apiKey, accessToken} = credential;
	await platform.prove(server.origin, apiKey ?? accessToken, {
		...{insecureHttp, signal, isLogin: apiKey === undefined},
		scope: {org, workspace, project},
	});
	let fault: string | undefined;
	const login = {
		name,
		server: server.origin,
		...credential,
		...(org && {org}),
		...(workspace && {workspace}),
		...(project && {project}),
	};
	const profile = await saveProfile(config, login, why => {
		fault = why;
	});
	store.getState().setConnection({profile: profile.name, server: profile.server, state: 'ready'});
	const held = [profile.apiKey, profile.accessToken, profile.refreshToken];
	return {...profile, storedWhere: storedWhere(config, held, fault)};
}

/** The profile that a login renews: one that is named, else one of that server, else a new one called after its host. */
function profileName(server: URL, {config, env, flags}: AccessContext): string {
	const data = config.read();
	const origin = originOf(server.href);
	const isFree = (name: string) => (entryOf(data.profiles, name)?.server ?? origin) === origin;
	if (flags.profile !== undefined) {
		const {profile: name} = flags;
		if (!isFree(name)) {
			// A profile is never pointed to another server (SAFETY 6).
			throw new AppError(
				'usage',
				`Profile “${name}” belongs to ${entryOf(data.profiles, name)?.server}, not ${origin}.`,
				{
					hint: `Use another --profile, or remove that one: profile forget ${name}`,
				},
			);
		}

		return name;
	}

	const wanted = env['SERVICE_PROFILE']?.trim();
	return wanted && isFree(wanted) ? wanted : (profileOfServer(data, origin)?.name ?? profileNameOf(server));
}
