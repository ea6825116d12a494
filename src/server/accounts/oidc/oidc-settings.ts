import type {Environment} from '../../../core/environment.ts';
import {AppError} from '../../../core/error.ts';
import {isLoopback} from '../../../core/origin.ts';
import {type Secret, secret} from '../../../core/secrets/secret.ts';
import type {MemberRole} from '../../database/role.ts';

/** An OpenID provider that users log in with. */
export type OidcSettings = {
	/** As its tokens name it. */
	readonly issuer: string;
	/** The host that pages name it by. */
	readonly host: string;
	readonly clientId: string;
	readonly clientSecret: Secret;
	/** Has the proxy and the certificates of requests to it. */
	readonly env: Environment;
	/** Who gets an account without an invitation: addresses of these domains, as members of that organization. */
	readonly signUp:
		| {readonly domains: readonly string[]; readonly organization: string; readonly role: MemberRole}
		| undefined;
};

/** What the flags of a server say of it. */
export type OidcFlags = {
	readonly oidcIssuer?: string | undefined;
	readonly oidcClientId?: string | undefined;
	readonly oidcClientSecret?: string | undefined;
	readonly oidcDomains?: string | undefined;
	readonly oidcOrganization?: string | undefined;
	readonly oidcRole?: 'member' | 'admin' | undefined;
};

/** Returns the settings; undefined if no flag asks for a provider. Throws AppError("usage") for flags that don't fit together. */
export function parseOidc(flags: OidcFlags, env: Environment): OidcSettings | undefined {
	const {oidcIssuer, oidcClientId, oidcClientSecret, oidcDomains, oidcOrganization, oidcRole} = flags;
	if (oidcIssuer === undefined) {
		const [stray] = Object.entries({
			'--oidc-client-id': oidcClientId,
			'--oidc-client-secret': oidcClientSecret,
			'--oidc-domains': oidcDomains,
			'--oidc-organization': oidcOrganization,
			'--oidc-role': oidcRole,
		}).filter(([, value]) => value !== undefined);
		if (stray) {
			throw new AppError('usage', `${stray[0]} needs --oidc-issuer.`, {hint: 'Name the provider with --oidc-issuer.'});
		}

		return undefined;
	}

	if (!oidcClientId || !oidcClientSecret) {
		const missing = oidcClientId ? '--oidc-client-secret' : '--oidc-client-id';
		throw new AppError('usage', `--oidc-issuer needs ${missing}.`, {
			hint: 'Register this server with the provider. The secret can be a file: SERVICE_SERVE_OIDC_CLIENT_SECRET_FILE.',
		});
	}

	return {
		issuer: oidcIssuer,
		host: checkIssuer(oidcIssuer).host,
		clientId: oidcClientId,
		clientSecret: secret(oidcClientSecret),
		env,
		signUp: parseSignUp(oidcDomains, oidcOrganization, oidcRole),
	};
}

function checkIssuer(issuer: string): URL {
	const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
	const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url));
	if (!url || !isSafe || url.search || url.hash || url.username) {
		throw new AppError('usage', `--oidc-issuer “${issuer}” must be an https URL.`, {
			hint: 'Use the issuer of its /.well-known/openid-configuration.',
		});
	}

	return url;
}

function parseSignUp(
	list: string | undefined,
	organization: string | undefined,
	role: 'member' | 'admin' = 'member',
): OidcSettings['signUp'] {
	if (list === undefined && organization === undefined) {
		return undefined;
	}

	if (list === undefined || organization === undefined) {
		throw new AppError('usage', '--oidc-domains and --oidc-organization need each other.', {
			hint: 'Leave out both, and only invited users get accounts.',
		});
	}

	const domains = list.split(',').map(domain => domain.trim().toLowerCase());
	const wrong = domains.find(domain => !/^[\p{L}\d](?:[\p{L}\d.-]*[\p{L}\d])?$/u.test(domain));
	if (wrong !== undefined) {
		throw new AppError('usage', `--oidc-domains has an invalid domain: “${wrong}”.`, {
			hint: 'Use the form acme.example,example.com.',
		});
	}

	return {domains, organization, role};
}
