import {once} from '../../core/once.ts';
import type {RawHandler} from '../http/raw-handler.ts';
import type {ServiceProxyOptions} from './service-proxy.ts';
import {targetOf} from './service-target.ts';

/** Creates the proxy of the services of sandboxes, of which a server loads most with the first request for one. */
export function lazyServiceProxy(options: ServiceProxyOptions): RawHandler {
	let close = () => {};
	const load = once(async () => {
		const {createServiceProxy} = await import('./service-proxy.ts');
		const proxy = createServiceProxy(options);
		close = proxy.close;
		return proxy;
	});
	return {
		matches: incoming => targetOf(incoming, options.services) !== undefined,
		respond: async (incoming, outgoing) => await (await load()).respond(incoming, outgoing),
		upgrade: async (incoming, socket, head) => await (await load()).upgrade(incoming, socket, head),
		close: () => close(),
	};
}
