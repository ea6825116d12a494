import type {AccountServices} from './account-services.ts';

/**
 * The origin under which the caller reached this server, so that what is begun at `localhost`, or at one of the addresses of
 * the machine, goes on there. Other Hosts were refused before. Behind a proxy with TLS it is the public one alone.
 */
export function ownOrigin(request: Request, {publicUrl}: Pick<AccountServices, 'publicUrl'>): string {
	const {protocol, origin} = new URL(publicUrl());
	const named = `http://${request.headers.get('host') ?? ''}`;
	return protocol === 'http:' && URL.canParse(named) ? new URL(named).origin : origin;
}
