/** What the tests use of a package without types. */
declare module 'oidc-provider' {
	import type {IncomingMessage, ServerResponse} from 'node:http';

	type Context = {readonly oidc: {readonly session?: {readonly accountId?: string}}};

	type Configuration = {
		readonly findAccount: (context: Context, sub: string) => {accountId: string; claims: () => Promise<object>};
		readonly interactions: {readonly url: (context: Context, interaction: {readonly uid: string}) => string};
		readonly loadExistingGrant: (context: Context) => Promise<object>;
		readonly [setting: string]: unknown;
	};

	export default class Provider {
		constructor(issuer: string, configuration: Configuration);
		readonly Grant: new (
			properties: object,
		) => {readonly addOIDCScope: (scope: string) => void; readonly save: () => Promise<string>};
		readonly Client: {
			readonly find: (id: string) => Promise<{readonly backchannelLogout: (sub: string, sid: string) => Promise<void>}>;
		};
		readonly callback: () => (request: IncomingMessage, response: ServerResponse) => Promise<void>;
		readonly interactionFinished: (
			request: IncomingMessage,
			response: ServerResponse,
			result: object,
			options?: object,
		) => Promise<void>;
	}
}
