import type {Profile} from '../config/config-data.ts';
import {activateProfile, deactivateProfile, findProfile, hasCredential, profileOfServer} from '../config/profiles.ts';
import {resolveProfile} from '../config/resolve-profile.ts';
import {entryOf} from '../core/entry-of.ts';
import {AppError} from '../core/error.ts';
import type {Json} from '../core/json.ts';
import {originOf, parseServerUrl, profileNameOf} from '../core/origin.ts';
import type {TlsInfo} from '../net/tls-info.ts';
import {localConnection} from '../store/connection-slice.ts';
import {cancelledLogin, logIn} from './log-in.ts';
import type {AccessContext} from './platform.ts';

/** The result as a sentence, with data if something changed. */
type Connected = {readonly kind: 'text'; readonly text: string; readonly hint?: string; readonly data?: Json};

/**
 * Connects to the server at `url` with the stored login, or with a new one. On failure the current connection stays.
 * Throws as `logIn` does, and AppError("network") for an invalid certificate.
 */
export async function connectTo(url: string, context: AccessContext): Promise<Connected> {
	const {
		program: {
			local: {config},
		},
		flags,
	} = context;
	const server = parseServerUrl(url);
	const origin = originOf(server.href);
	const data = config.read();
	const found = flags.profile === undefined ? profileOfServer(data, origin) : entryOf(data.profiles, flags.profile);
	const tls = await readTls(server, context);
	if (found && hasCredential(found) && found.server === origin) {
		return connectWith(found, tls, context);
	}

	if (tls) {
		context.ui.interact.say(`${origin}: ${tlsWords(tls)}.`);
	}

	const profile = await logIn(server, context);
	return profile ? connected(profile, tls, profile.storedWhere) : cancelledLogin(origin);
}

/** True for the name that the app gives its own server, unless a profile has that name. */
export function isEmbedded(name: string, {program, ui: {live}}: AccessContext): boolean {
	return live !== undefined && name === localConnection.profile && !entryOf(program.local.config.read().profiles, name);
}

/** Connects the app to its own server, also at its next start. */
export async function connectToEmbedded({program}: AccessContext): Promise<Connected> {
	const {profile} = localConnection;
	await deactivateProfile(program.local.config);
	const {url} = await program.servers.platform.embedded();
	program.store.getState().setConnection({profile, server: url, state: 'ready'});
	return {kind: 'text', text: 'Back on the built-in local server.', data: {profile, server: url}};
}

/** Returns to the previous connection; in the app to its own server if there is none. Throws AppError("not-found") in a shell. */
export async function goBack(context: AccessContext): Promise<Connected> {
	const {
		program: {
			local: {config},
			store,
		},
		ui: {live},
	} = context;
	const data = config.read();
	const here = live && store.getState().previousConnection;
	const name = here ?? data.previousProfile ?? (live && localConnection.profile);
	if (!name) {
		throw new AppError('not-found', 'No previous connection.', {
			hint: 'Connect to a server: `connect <url>`',
		});
	}

	if (isEmbedded(name, context)) {
		return connectToEmbedded(context);
	}

	const profile = findProfile(data, name);
	return hasCredential(profile)
		? connectWith(profile, await readTls(new URL(profile.server), context), context)
		: connectTo(profile.server, context);
}

async function connectWith(profile: Profile, tls: TlsInfo | undefined, context: AccessContext): Promise<Connected> {
	const {name, server} = profile;
	const {
		program: {
			local: {config, env},
			servers: {platform},
			store,
		},
		flags,
		signal,
	} = context;
	const {insecureHttp} = flags;
	// The login is the stored one of that profile, so only the proxies of the environment count.
	const withoutKey = {...env, SERVICE_API_KEY: undefined};
	const login = resolveProfile({data: config.read(), env: withoutKey, flags: {profile: name}});
	const logins = await platform.logins();
	const user = login && (await logins.proveLogin(login, {insecureHttp, signal}));

	await activateProfile(config, name);
	store.getState().setConnection({profile: name, server, state: 'ready'});
	return connected({...profile, user}, tls);
}

async function readTls(server: URL, {program, signal}: AccessContext): Promise<TlsInfo | undefined> {
	return server.protocol === 'https:' ? program.servers.platform.tlsOf(server, signal) : undefined;
}

function tlsWords({protocol, issuer}: TlsInfo): string {
	return `${protocol}, certificate from ${issuer}`;
}

function connected(
	{name, server, user}: Profile & {readonly user: string | undefined},
	tls: TlsInfo | undefined,
	storedWhere?: string,
): Connected {
	const named = name === profileNameOf(new URL(server)) ? '' : ` as profile ${name}`;
	return {
		kind: 'text',
		text: `Connected to ${server}${named}${tls ? `: ${tlsWords(tls)}` : ''}.${user ? ` You are ${user}.` : ''}${storedWhere ? ` ${storedWhere}` : ''}`,
		data: {profile: name, server, ...(user && {user}), ...(tls && {tls})},
	};
}
