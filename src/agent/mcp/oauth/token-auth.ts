import {type AuthProvider, OAuthError, refreshAuthorization} from '@modelcontextprotocol/client';
import {assertWritable, type Config} from '../../../config/config.ts';
import type {McpLogin} from '../../../config/config-data.ts';
import {mcpLoginOf, saveMcpLogin} from '../../../config/mcp/mcp-logins.ts';
import {AppError} from '../../../core/error.ts';
import type {Secret} from '../../../core/secrets/secret.ts';
import {shellWord} from '../../../core/shell-word.ts';
import {tokenFieldsOf} from './log-in.ts';
import type {OAuthFetch} from './oauth-fetch.ts';

export type TokenAuthOptions = {
	/** The name of the server, and its URL. */
	readonly name: string;
	readonly url: string;
	readonly config: Config;
	readonly fetch: OAuthFetch['fetch'];
	/** Gets tokens, so that they are masked. */
	readonly addSecret: (value: Secret) => void;
};

/** A token that expires within this time is refreshed before it is sent. */
const aheadMs = 30_000;

/** Answers to a refresh after which only a new login helps (RFC 6749, section 5.2). */
const endsLogin: readonly string[] = ['invalid_grant', 'invalid_client', 'unauthorized_client'];

/**
 * Creates what adds the stored token of a server to its requests, and refreshes it. The transport sends it to that server alone.
 * Throws AppError("auth") if the user must log in.
 */
export function createTokenAuth(options: TokenAuthOptions): AuthProvider {
	const {url, config} = options;
	let sent: string | undefined;
	const open = async (held: Secret | undefined) => {
		const opened = held && (await config.open(held));
		if (opened) {
			options.addSecret(opened);
		}

		return opened?.reveal();
	};
	const refreshOnce = async () => {
		await config.runExclusively(async () => {
			const login = mcpLoginOf(config.read(), url);
			// Another process may have refreshed it meanwhile.
			if (login && (await open(login.accessToken)) === sent) {
				await refresh(login, options, open);
			}
		});
	};
	return {
		async token() {
			const login = mcpLoginOf(config.read(), url);
			sent = await open(login?.accessToken);
			if (login?.refreshToken && login.expiresAt && Date.parse(login.expiresAt) - Date.now() < aheadMs) {
				await refreshOnce();
				sent = await open(mcpLoginOf(config.read(), url)?.accessToken);
			}

			return sent;
		},
		async onUnauthorized() {
			if (!mcpLoginOf(config.read(), url)?.refreshToken) {
				throw needsLogin(options);
			}

			await refreshOnce();
		},
	};
}

async function refresh(
	login: McpLogin,
	options: TokenAuthOptions,
	open: (held: Secret | undefined) => Promise<string | undefined>,
): Promise<void> {
	const {issuer, tokenEndpoint, authMethods, resource, clientId} = login;
	await assertWritable(options.config);
	const [refreshToken = '', clientSecret] = [await open(login.refreshToken), await open(login.clientSecret)];
	try {
		const tokens = await refreshAuthorization(issuer, {
			metadata: {
				issuer,
				token_endpoint: tokenEndpoint,
				authorization_endpoint: tokenEndpoint,
				response_types_supported: ['code'],
				...(authMethods && {token_endpoint_auth_methods_supported: [...authMethods]}),
			},
			clientInformation: {client_id: clientId, ...(clientSecret && {client_secret: clientSecret})},
			refreshToken,
			fetchFn: options.fetch,
			...(resource && {resource: new URL(resource)}),
		});
		await saveMcpLogin(options.config, {...login, ...tokenFieldsOf(tokens)});
	} catch (error) {
		if (error instanceof OAuthError && endsLogin.includes(error.code)) {
			throw needsLogin(options, error);
		}

		const reason = error instanceof AppError ? error.message : 'the authorization server failed';
		throw new AppError('network', `its login could not be refreshed: ${reason}`, {cause: error});
	}
}

function needsLogin({name}: TokenAuthOptions, cause?: unknown): AppError {
	return new AppError('auth', cause ? 'its login has expired' : 'it needs a login', {
		hint: `Log in: \`mcp login ${shellWord(name)}\``,
		...(cause !== undefined && {cause}),
	});
}
