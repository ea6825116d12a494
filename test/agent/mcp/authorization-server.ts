import {createHash, randomUUID} from 'node:crypto';
import {once} from 'node:events';
import {createServer, type IncomingMessage} from 'node:http';
import type {AddressInfo} from 'node:net';
import {createMcpHandler, McpServer, requireScopes} from '@modelcontextprotocol/server';
import {onTestFinished} from 'vitest';
import * as z from 'zod';

type Response = {readonly status?: number; readonly headers?: Record<string, string>; readonly body?: string};

type Options = {
	/** Replaces answers by path: what a hostile server would send. */
	readonly answers?: Readonly<Record<string, (origin: string) => Response>>;
	/** Changes the metadata of the authorization server. */
	readonly metadata?: (metadata: Record<string, unknown>, origin: string) => Record<string, unknown>;
	/** The address of the authorization server that the resource names; this one by default. */
	readonly issuer?: string;
	readonly expiresIn?: number;
	/** The resource that the metadata of the MCP server names; its own URL by default. */
	readonly resource?: string;
	/** Scopes that the user may not have. */
	readonly refuses?: string;
	/** Replaces the challenge for a call of `write`: what a hostile server would ask for. */
	readonly challenge?: () => string;
};

/**
 * A real MCP server that wants tokens, and the authorization server that makes them, on one loopback origin: it checks
 * registration, PKCE, redirect address, resource, and that a code and a refresh token are used once.
 */
export async function protectedServer({
	answers = {},
	metadata: change,
	issuer,
	expiresIn = 3600,
	resource,
	refuses,
	challenge: hostile,
}: Options = {}) {
	const requests: {method: string; path: string; authorization: string | undefined; body: string}[] = [];
	const clients = new Map<string, readonly string[]>();
	const codes = new Map<
		string,
		{challenge: string; redirect: string; client: string; resource: string | null; scope: string}
	>();
	const tokens = {access: new Set<string>(), refresh: new Set<string>()};
	/** The scopes of each token. */
	const granted = new Map<string, string>();
	const mcp = createMcpHandler(() => {
		const server = new McpServer({name: 'protected', version: '1.0.0'});
		server.registerTool('whoami', {description: 'Returns the user', inputSchema: z.object({})}, async () => ({
			content: [{type: 'text', text: 'You are Ada.'}],
		}));
		server.registerTool(
			'write',
			{description: 'Writes', inputSchema: z.object({}), scopeChallenge: requireScopes('files:write', 'mcp:tools')},
			async () => ({content: [{type: 'text', text: 'Written.'}]}),
		);
		return server;
	});
	const json = (body: unknown, status = 200): Response => ({
		...{status, headers: {'content-type': 'application/json'}, body: JSON.stringify(body)},
	});
	const issue = (scope: string) => {
		const [access, refresh] = [`access-${randomUUID()}`, `refresh-${randomUUID()}`];
		tokens.access.add(access);
		tokens.refresh.add(refresh);
		granted.set(access, scope).set(refresh, scope);
		return json({access_token: access, refresh_token: refresh, token_type: 'Bearer', expires_in: expiresIn});
	};

	const authorize = (query: URLSearchParams): Response => {
		const [client, redirect] = [query.get('client_id') ?? '', query.get('redirect_uri') ?? ''];
		const isValid = clients.get(client)?.includes(redirect) && query.get('code_challenge_method') === 'S256';
		if (!isValid) {
			return json({error: 'invalid_request'}, 400);
		}

		const [scope, code, state] = [query.get('scope') ?? '', randomUUID(), query.get('state') ?? ''];
		const challenge = query.get('code_challenge') ?? '';
		codes.set(code, {challenge, redirect, client, resource: query.get('resource'), scope});
		const back = new URL(redirect);
		const isRefused = refuses !== undefined && scope.split(' ').includes(refuses);
		back.search = new URLSearchParams(isRefused ? {error: 'invalid_scope', state} : {code, state}).toString();
		return {status: 302, headers: {location: back.href}};
	};

	const token = (form: URLSearchParams): Response => {
		if (form.get('grant_type') === 'refresh_token') {
			const old = form.get('refresh_token') ?? '';
			return tokens.refresh.delete(old) ? issue(granted.get(old) ?? '') : json({error: 'invalid_grant'}, 400);
		}

		const code = codes.get(form.get('code') ?? '');
		codes.delete(form.get('code') ?? '');
		const challenge = createHash('sha256')
			.update(form.get('code_verifier') ?? '')
			.digest('base64url');
		const isValid =
			code?.challenge === challenge &&
			code.redirect === form.get('redirect_uri') &&
			code.client === form.get('client_id') &&
			code.resource === form.get('resource');
		return isValid ? issue(code.scope) : json({error: 'invalid_grant', error_description: 'wrong code'}, 400);
	};

	const listener = createServer(async (request, response) => {
		const {origin, pathname: path, searchParams} = new URL(request.url ?? '/', `http://${request.headers.host}`);
		const body = await textOf(request);
		const {authorization} = request.headers;
		requests.push({method: request.method ?? '', path, authorization, body});
		const answer = async (): Promise<Response> => {
			const replaced = answers[path];
			if (replaced) {
				return replaced(origin);
			}

			switch (path) {
				case '/.well-known/oauth-protected-resource/mcp':
					return json({
						...{resource: resource ?? `${origin}/mcp`, authorization_servers: [issuer ?? origin]},
						scopes_supported: ['mcp:tools'],
					});
				case '/.well-known/oauth-authorization-server': {
					const known = {
						...{issuer: origin, authorization_endpoint: `${origin}/authorize`, token_endpoint: `${origin}/token`},
						...{registration_endpoint: `${origin}/register`, revocation_endpoint: `${origin}/revoke`},
						...{response_types_supported: ['code'], code_challenge_methods_supported: ['S256']},
						token_endpoint_auth_methods_supported: ['none'],
					};
					return json(change?.(known, origin) ?? known);
				}
				case '/register': {
					const id = randomUUID();
					const client = JSON.parse(body);
					clients.set(id, client.redirect_uris);
					return json({...client, client_id: id}, 201);
				}
				case '/authorize':
					return authorize(searchParams);
				case '/token':
					return token(new URLSearchParams(body));
				case '/revoke': {
					const value = new URLSearchParams(body).get('token') ?? '';
					tokens.refresh.delete(value);
					return {status: 200};
				}
				case '/mcp': {
					const access = authorization?.replace(/^Bearer /, '') ?? '';
					const metadata = `resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
					if (!tokens.access.has(access)) {
						return {status: 401, headers: {'www-authenticate': `Bearer ${metadata}, scope="mcp:tools"`}};
					}

					if (hostile && body.includes('"name":"write"')) {
						return {status: 403, headers: {'www-authenticate': hostile()}};
					}

					const scopes = granted.get(access)?.split(' ') ?? [];
					const authInfo = {token: access, clientId: 'any', scopes};
					return fromMcp(await mcp.fetch(asRequest(request, origin, body), {authInfo}));
				}
				default:
					return {status: 404};
			}
		};
		const {status = 200, headers = {}, body: text = ''} = await answer();
		response.writeHead(status, headers);
		response.end(text);
	});
	listener.listen(0, '127.0.0.1');
	await once(listener, 'listening');
	onTestFinished(() => {
		listener.close();
		listener.closeAllConnections();
	});
	const origin = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
	return {
		...{origin, url: `${origin}/mcp`, requests, tokens},
		/** A user who is logged in already: the content of their `config.json`. */
		loggedIn(scope = 'mcp:tools'): string {
			const {access_token: accessToken, refresh_token: refreshToken} = JSON.parse(issue(scope).body ?? '');
			const where = {url: `${origin}/mcp`, issuer: origin, tokenEndpoint: `${origin}/token`};
			const login = {...where, resource: where.url, clientId: 'any', accessToken, refreshToken, scope};
			const mcpLogins = {[where.url]: {...login, savedAt: new Date().toISOString()}};
			return JSON.stringify({version: 1, settings: {}, keys: {}, profiles: {}, mcpLogins});
		},
		/** The user's browser: opens the page and follows it to the callback. Returns the address that it ends on. */
		async browse(page: string, {follows = true} = {}): Promise<string> {
			const {headers} = await fetch(page, {redirect: 'manual'});
			const back = headers.get('location') ?? '';
			if (follows && back) {
				await fetch(back);
			}

			return back;
		},
	};
}

function asRequest(request: IncomingMessage, origin: string, body: string): Request {
	return new Request(`${origin}${request.url}`, {
		method: request.method ?? 'GET',
		headers: Object.entries(request.headers).flatMap(([name, value]) =>
			value ? [[name, `${value}`] as [string, string]] : [],
		),
		...(body && {body}),
	});
}

async function fromMcp(answer: globalThis.Response): Promise<Response> {
	return {status: answer.status, headers: Object.fromEntries(answer.headers), body: await answer.text()};
}

async function textOf(request: IncomingMessage): Promise<string> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) {
		chunks.push(chunk);
	}

	return Buffer.concat(chunks).toString('utf8');
}
