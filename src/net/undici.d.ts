// undici has no types for its single files, which load in half the time of its index.
declare module 'undici/lib/dispatcher/agent.js' {
	import {Agent} from 'undici';
	export default Agent;
}

declare module 'undici/lib/dispatcher/pool.js' {
	import {Pool} from 'undici';
	export default Pool;
}

declare module 'undici/lib/dispatcher/proxy-agent.js' {
	import {ProxyAgent} from 'undici';
	export default ProxyAgent;
}

declare module 'undici/lib/core/connect.js' {
	import {buildConnector} from 'undici';
	export default buildConnector;
}

declare module 'undici/lib/api/api-request.js' {
	import type {Dispatcher} from 'undici';
	export default function request(
		this: Dispatcher,
		options: Dispatcher.RequestOptions,
	): Promise<Dispatcher.ResponseData>;
}

declare module 'undici/lib/api/api-connect.js' {
	import type {Dispatcher} from 'undici';
	export default function connect(
		this: Dispatcher,
		options: Dispatcher.ConnectOptions,
	): Promise<Dispatcher.ConnectData>;
}

declare module 'undici/lib/api/api-upgrade.js' {
	import type {Dispatcher} from 'undici';
	export default function upgrade(
		this: Dispatcher,
		options: Dispatcher.UpgradeOptions & Pick<Dispatcher.RequestOptions, 'body' | 'headersTimeout'>,
	): Promise<Dispatcher.UpgradeData>;
}
