import {isLoopback} from '../../core/origin.ts';
import type {Services} from '../services.ts';

/**
 * The origin under which the caller reached this server. That is the public one; a server for this machine alone goes by
 * each name that the machine has for itself, so that what is begun at `localhost` goes on there.
 */
export function ownOrigin(request: Request, {publicUrl}: Pick<Services, 'publicUrl'>): string {
	const address = new URL(publicUrl());
	const given = `http://${request.headers.get('host') ?? ''}`;
	const named = URL.canParse(given) ? new URL(given) : undefined;
	return named && isLoopback(named) && isLoopback(address) ? `${address.protocol}//${named.host}` : address.origin;
}
