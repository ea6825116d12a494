import {dirname} from 'node:path';

const shims = 'export const CORS_IS_POSSIBLE = false; export const DefaultJsonSchemaValidator = class {};';

/** What the program uses of the SDK; the build fails for a name that is missing here. */
const used = [
	...['Client', 'StreamableHTTPClientTransport', 'UrlElicitationRequiredError', 'OAuthError'],
	...['discoverOAuthServerInfo', 'extractWWWAuthenticateParams', 'checkResourceAllowed', 'resourceUrlFromServerUrl'],
	...['registerClient', 'startAuthorization', 'validateAuthorizationResponseIssuer', 'exchangeAuthorization'],
	'refreshAuthorization',
];

/**
 * Returns the esbuild plugin that bundles the SDK of MCP with modules of its own: it shares zod with the program, but uses more
 * of it, which every command would load. The validator is left out (300 kB), because the program passes its own.
 */
export function mcpBySelf(build, options) {
	const withoutValidator = {
		name: 'mcp-without-validator',
		setup(plugin) {
			plugin.onResolve({filter: /^@modelcontextprotocol\/client\/_shims$/}, () => ({path: 'shims', namespace: 'mcp'}));
			plugin.onLoad({filter: /.*/, namespace: 'mcp'}, () => ({contents: shims, loader: 'js'}));
		},
	};
	return {
		name: 'mcp-by-self',
		setup(plugin) {
			plugin.onLoad({filter: /@modelcontextprotocol[\\/]client[\\/]dist[\\/]index\.mjs$/}, async ({path}) => {
				const {outputFiles} = await build({
					...options,
					stdin: {
						contents: `export {${used.join(', ')}} from ${JSON.stringify(path)};`,
						resolveDir: dirname(path),
					},
					format: 'esm',
					minify: false,
					write: false,
					plugins: [withoutValidator],
				});
				return {contents: outputFiles[0].text, loader: 'js', resolveDir: dirname(path)};
			});
		},
	};
}
