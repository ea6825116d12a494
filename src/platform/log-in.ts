import type {Tokens} from '../client/tokens.ts';
import type {Profile} from '../config/config-data.ts';
import {profileOfServer, type StoredCredential, saveProfile} from '../config/profiles.ts';
import {storedWhere} from '../config/stored-where.ts';
import {entryOf} from '../core/entry-of.ts';
import {AppError} from '../core/error.ts';
import {type Origin, originOf, profileNameOf} from '../core/origin.ts';
import {isKeyText, type Secret, secret} from '../core/secrets/secret.ts';
import type {Interaction} from './interaction.ts';
import type {AccessContext} from './platform.ts';

/**
 * Returns the API key of a server: `given`, or the one that the user enters. Returns undefined if they cancel. Throws
 * AppError("usage") for an empty or invalid key.
 */
async function askApiKey(
	server: URL,
	{ui: {interact}}: AccessContext,
	given: string | undefined,
): Promise<Secret | undefined> {
	const typed =
		given ?? (await interact.ask({label: `API key for ${profileNameOf(server)} (typing is hidden):`, masked: true}));
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
 * Logs in the way that the server offers: through a browser, else with an API key. `key`, `withToken` and a piped key
 * select the API key at any server; the user is asked for it only after the server was recognized. Returns undefined if
 * the user cancels. Throws AppError with `auth`, `network`, or `usage` for a profile of another server.
 */
export async function logIn(
	server: URL,
	context: AccessContext,
	{key, withToken = false}: {readonly key?: string | undefined; readonly withToken?: boolean} = {},
): Promise<LoggedIn | undefined> {
	// Fails before the login if its profile can't be saved.
	profileName(server, context);
	const given = key || (withToken ? undefined : await context.ui.interact.piped?.());
	const tokens = given || withToken ? undefined : await logInByBrowser(originOf(server.href), context);
	if (tokens === 'cancelled') {
		return undefined;
	}

	if (tokens && tokens !== 'api-key') {
		return saveLogin(server, tokens, context);
	}

	// A server that offered a login in the browser is recognized, and the field for a key must be there before the key is typed.
	if (tokens !== 'api-key') {
		const {insecureHttp} = context.flags;
		const logins = await context.program.servers.platform.logins();
		await logins.recognize(originOf(server.href), {insecureHttp, signal: context.signal});
	}

	const apiKey = await askApiKey(server, context, given || undefined);
	return apiKey && saveLogin(server, {apiKey}, context);
}

/** Returns the result of a login that the user cancelled. A browser is not at hand on every machine. */
export function cancelledLogin(server: Origin) {
	return {
		kind: 'text',
		leavesNothing: true,
		text: 'Login cancelled. Nothing changed.',
		hint: `With an API key: \`login --with-token --server ${server}\``,
	} as const;
}

/** Logs the user in through a browser. Returns `api-key` if they have a key, and undefined if the server knows no browser. */
async function logInByBrowser(
	server: Origin,
	context: AccessContext,
): Promise<Tokens | 'cancelled' | 'api-key' | undefined> {
	const {insecureHttp} = context.flags;
	const logins = await context.program.servers.platform.logins();
	const change = new AbortController();
	const signal = AbortSignal.any([context.signal, change.signal]);
	const onApiKey = () => change.abort();
	try {
		return await untilCancelled({interact: context.ui.interact, signal}, (show, signal) =>
			logins.logIn(
				server,
				({userCode: code, page, pageWithCode, expiresAt}) =>
					show({server, page, pageWithCode, code, expiresAt, onApiKey}),
				{insecureHttp, signal},
			),
		);
	} catch (error) {
		if (change.signal.aborted && !context.signal.aborted) {
			return 'api-key';
		}

		throw error;
	}
}

type ShownLogin = Parameters<Interaction['showLogin']>[0];

/**
 * Runs a login in a browser, which `show` keeps on the screen until it ends. Returns its result, or 'cancelled' if the user
 * cancels what is shown: then its signal aborts.
 */
export async function untilCancelled<Result>(
	{interact, signal}: {readonly interact: Interaction; readonly signal: AbortSignal},
	logIn: (show: (login: ShownLogin) => void, signal: AbortSignal) => Promise<Result>,
): Promise<Result | 'cancelled'> {
	const cancelled = new AbortController();
	let hide: () => void = () => undefined;
	const show = (login: ShownLogin) => {
		hide = interact.showLogin(login, () => cancelled.abort());
	};
	try {
		return await logIn(show, AbortSignal.any([signal, cancelled.signal]));
	} catch (error) {
		if (cancelled.signal.aborted && !signal.aborted) {
			return 'cancelled';
		}

		throw error;
	} finally {
		hide();
	}
}

/** A profile after login, with a sentence about where its secrets are stored if that matters. */
type LoggedIn = Profile & {readonly storedWhere: string | undefined; readonly user: string | undefined};

/**
 * Checks a credential with its server, then saves it as the active profile. Nothing changes if the check fails. Throws
 * AppError with `auth`, `network`, or `usage` for a profile of another server.
 */
async function saveLogin(server: URL, credential: StoredCredential, context: AccessContext): Promise<LoggedIn> {
	const {
		program: {
			servers: {platform},
			local: {config},
			store,
		},
		flags,
		signal,
	} = context;
	const {org, workspace, project, insecureHttp} = flags;
	const name = profileName(server, context);
	const {apiKey, accessToken} = credential;
	const logins = await platform.logins();
	const user = await logins.prove(originOf(server.href), apiKey ?? accessToken, {
		insecureHttp,
		signal,
		isLogin: apiKey === undefined,
		scope: {org, workspace, project},
	});
	let fault: string | undefined;
	const login = {
		name,
		server: originOf(server.href),
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
	return {...profile, storedWhere: storedWhere(config, held, fault), user};
}

/** Returns the profile that a login saves to: the named one, else that of the server, else a new one named after its host. */
function profileName(server: URL, {program, flags}: AccessContext): string {
	const data = program.local.config.read();
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

	const wanted = program.local.env['SERVICE_PROFILE']?.trim();
	return wanted && isFree(wanted) ? wanted : (profileOfServer(data, origin)?.name ?? profileNameOf(server));
}
