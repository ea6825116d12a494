import type {AccountServices} from './account-services.ts';

/**
 * Returns the origin that the client used, so that a login started at `localhost` or another address of this machine
 * stays there. Unknown Hosts were rejected earlier. Behind a TLS proxy it is always the public origin.
 */
export function requestOrigin(request: Request, {publicUrl}: Pick<AccountServices, 'publicUrl'>): string {
	const {protocol, origin} = new URL(publicUrl());
	const named = `http://${request.headers.get('host') ?? ''}`;
	return protocol === 'http:' && URL.canParse(named) ? new URL(named).origin : origin;
}
