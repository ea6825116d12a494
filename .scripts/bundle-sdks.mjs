import {dirname} from 'node:path';

/** The validator of MCP's SDK is left out (300 kB), because the program passes its own. */
const withoutValidator = {
	name: 'mcp-without-validator',
	setup(plugin) {
		const contents = 'export const CORS_IS_POSSIBLE = false; export const DefaultJsonSchemaValidator = class {};';
		plugin.onResolve({filter: /^@modelcontextprotocol\/client\/_shims$/}, () => ({path: 'shims', namespace: 'mcp'}));
		plugin.onLoad({filter: /.*/, namespace: 'mcp'}, () => ({contents, loader: 'js'}));
	},
};

/** What the program uses of each SDK; the build fails for a name that is missing here. */
const sdks = [
	{
		entry: /@modelcontextprotocol[\\/]client[\\/]dist[\\/]index\.mjs$/,
		used: [
			...['Client', 'StreamableHTTPClientTransport', 'UrlElicitationRequiredError', 'OAuthError'],
			...[
				'discoverOAuthServerInfo',
				'extractWWWAuthenticateParams',
				'checkResourceAllowed',
				'resourceUrlFromServerUrl',
			],
			...['registerClient', 'startAuthorization', 'validateAuthorizationResponseIssuer', 'exchangeAuthorization'],
			'refreshAuthorization',
		],
		plugins: [withoutValidator],
	},
	{
		entry: /@agentclientprotocol[\\/]sdk[\\/]dist[\\/]v1[\\/]stable[\\/]acp\.js$/,
		used: ['agent', 'client', 'MessageTooLargeError', 'methods', 'ndJsonStream', 'PROTOCOL_VERSION', 'RequestError'],
		plugins: [],
	},
];

/**
 * Returns the esbuild plugin that bundles the SDKs of protocols with modules of their own: they share zod with the program, but
 * use more of it, which every command would load.
 */
export function sdksBySelf(build, options) {
	return {
		name: 'sdks-by-self',
		setup(plugin) {
			for (const {entry, used, plugins} of sdks) {
				plugin.onLoad({filter: entry}, async ({path}) => {
					const {outputFiles} = await build({
						...options,
						stdin: {
							contents: `export {${used.join(', ')}} from ${JSON.stringify(path)};`,
							resolveDir: dirname(path),
						},
						format: 'esm',
						minify: false,
						write: false,
						plugins,
					});
					return {contents: outputFiles[0].text, loader: 'js', resolveDir: dirname(path)};
				});
			}
		},
	};
}
