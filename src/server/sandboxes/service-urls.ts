import {basePathOf, requestUrl} from '../kit/server-url.ts';
import type {CoreServices} from '../kit/services.ts';
import {renderInstruction} from '../tasks/instruction.ts';
import type {EnvironmentRow} from './environment-transition.ts';
import type {ServiceAddresses} from './task-plan.ts';

/** How clients reach this server, and through it the services of sandboxes. */
export type PublicServices = Pick<CoreServices, 'publicUrl' | 'publicServices'>;

/** Returns how clients reach services, with the address of this server as the client of this request has it. */
export function asReached(
	services: PublicServices & Pick<CoreServices, 'isProxied'>,
	request: Request,
): PublicServices {
	return {publicUrl: () => requestUrl(request, services), publicServices: services.publicServices};
}

/** The path of this server below which the services of sandboxes are. */
export const servicesPath = '/sandboxes';

/** Returns the path of a service on this server, without a slash at the end. */
export function servicePath(publicUrl: string, environmentId: string, service: string): string {
	return `${basePathOf(publicUrl)}${servicesPath}/${environmentId}/${service}`;
}

const maxLabelLength = 63;

/** Returns the first label of a service's own host; undefined if the name is too long for one. Names have no dashes. */
export function serviceLabel(environmentId: string, service: string): string | undefined {
	const label = `${environmentId}-${service.replaceAll('_', '-')}`;
	return label.length <= maxLabelLength ? label : undefined;
}

/** Returns where clients reach the services of an environment, given where its sandbox has them. */
export function publicServices(
	options: PublicServices,
	{id, service_urls}: Pick<EnvironmentRow, 'id' | 'service_urls'>,
): ServiceAddresses {
	const inside: ServiceAddresses = JSON.parse(service_urls);
	return options.publicServices
		? Object.fromEntries(
				Object.entries(inside).map(([name, service]) => [
					name,
					isHttp(service.protocol) ? publicAddress(options, id, [name, service.url]) : service,
				]),
			)
		: inside;
}

/** The name of the one service of a runtime's sandbox that has an address: the first one of its task. */
const runtimeService = 'sandbox';

/** Returns the services of a runtime as an environment has them, given where its sandbox has the first. */
export function runtimeServices(sandboxUrl: string | null): ServiceAddresses {
	if (sandboxUrl === null) {
		return {};
	}

	const {port, protocol} = new URL(sandboxUrl);
	return {[runtimeService]: {url: sandboxUrl, port: Number(port), protocol: protocol.slice(0, -1)}};
}

/** Returns where clients reach the sandbox of a runtime; null if it has no services. */
export function publicSandboxUrl(options: PublicServices, runtimeId: string, sandboxUrl: string | null): string | null {
	const row = {id: runtimeId, service_urls: JSON.stringify(runtimeServices(sandboxUrl))};
	return publicServices(options, row)[runtimeService]?.url ?? null;
}

/** Returns whether a service speaks HTTP, so that this server can pass requests on to it. */
export function isHttp(protocol: string): boolean {
	return protocol !== 'tcp';
}

function publicAddress(
	{publicUrl, publicServices: {domain} = {domain: undefined}}: PublicServices,
	environmentId: string,
	[service, inside]: readonly [string, string],
) {
	const outside = new URL(publicUrl());
	const {pathname, search, protocol} = new URL(inside);
	const label = domain === undefined ? undefined : serviceLabel(environmentId, service);
	const base =
		label === undefined
			? `${outside.origin}${servicePath(publicUrl(), environmentId, service)}`
			: `${outside.protocol}//${label}.${domain}`;
	const url = new URL(`${base}${pathname}${search}`);
	const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
	if (protocol === 'ws:') {
		url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
	}

	return {url: url.href, port, protocol: url.protocol.slice(0, -1)};
}

/** Returns the instruction of an environment with its inputs and the public addresses of its services. */
export function publicInstruction(
	services: PublicServices,
	row: Pick<EnvironmentRow, 'id' | 'service_urls' | 'instruction' | 'inputs'>,
): string | null {
	return row.instruction === null
		? null
		: renderInstruction(row.instruction, {
				inputs: JSON.parse(row.inputs),
				services: publicServices(services, row),
			});
}
