import {extractWWWAuthenticateParams} from '@modelcontextprotocol/client';
import {shellWord} from '../../../core/shell-word.ts';
import {ScopesNeeded} from '../connection-error.ts';
import type {OAuthFetch} from './oauth-fetch.ts';

/** Most scopes that a login asks for. */
export const maxLoginScopes = 100;
/** Most scopes of one refusal that count, and most characters of one. */
const maxScopes = 20;
const maxLength = 100;

/** Returns at most `most` scopes of texts with spaces between them, once each. What is no scope (RFC 6749, section 3.3) is left out. */
export function scopesIn(most: number, ...texts: ReadonlyArray<string | undefined>): readonly string[] {
	const words = texts.flatMap(text => (text ?? '').slice(0, most * maxLength).split(' '));
	const valid = words.filter(word => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(word) && word.length <= maxLength);
	return [...new Set(valid)].slice(0, most);
}

type Options = {
	/** The name of the server. */
	readonly name: string;
	/** True if its entry has a key of its own, which no login replaces. */
	readonly hasKey: boolean;
	/** Returns the scopes that its login was granted, with spaces between them, as far as they are known. */
	readonly granted: () => string | undefined;
	readonly fetch: OAuthFetch['fetch'];
};

/** Creates a `fetch` that throws `ScopesNeeded` if the server wants more scopes than the token has (RFC 6750, section 3.1). */
export function createScopedFetch({name, hasKey, granted, fetch}: Options): OAuthFetch['fetch'] {
	return async (url, init) => {
		const response = await fetch(url, init);
		const {error, scope} = response.status === 403 ? extractWWWAuthenticateParams(response) : {};
		if (error !== 'insufficient_scope') {
			return response;
		}

		await response.body?.cancel();
		const had = (granted() ?? '').split(' ');
		const scopes = scopesIn(maxScopes, scope).filter(each => !had.includes(each));
		const named = scopes.length > 0 ? `the scope${scopes.length > 1 ? 's' : ''} ${scopes.join(', ')}` : 'a scope';
		throw new ScopesNeeded(
			`${hasKey ? 'the key in its header' : 'its login'} lacks ${named}`,
			hasKey ? `See its entry: \`mcp get ${shellWord(name)}\`` : `Ask for it: \`mcp login ${shellWord(name)}\``,
			hasKey ? [] : scopes,
		);
	};
}
