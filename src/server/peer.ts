import {isLoopback} from '../core/origin.ts';
import type {Services} from './services.ts';

/** The header in which the listener says who connected. What a caller sends under this name never gets this far. */
export const peerHeader = 'x-service-peer';

/**
 * The address that a request came from, in words for people; undefined where nobody knows. With https a proxy stands in
 * front, and its address would only mislead.
 */
export function peerOf(request: Request, {publicUrl}: Pick<Services, 'publicUrl'>): string | undefined {
	const address = request.headers.get(peerHeader)?.replace(/^::ffff:(?=\d+\.)/, '');
	if (!address || publicUrl().startsWith('https:')) {
		return undefined;
	}

	const url = `http://${address.includes(':') ? `[${address}]` : address}`;
	return URL.canParse(url) && isLoopback(new URL(url)) ? `this machine (${address})` : address;
}
