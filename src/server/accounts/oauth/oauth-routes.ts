import type {PublicRequest, ServerRoute} from '../../kit/route.ts';
import {requestUrl} from '../../kit/server-url.ts';
import type {AccountServices} from '../account-services.ts';
import {readClientForm} from './client-form.ts';
import {authorizeDevice, deviceGrant, pollDevice} from './device-grant.ts';
import {oauthError} from './oauth-response.ts';
import {refresh, revokeToken} from './tokens.ts';

const paths = {device: '/oauth/device_authorization', token: '/oauth/token', revocation: '/oauth/revoke'} as const;

/** The OAuth routes: device flow (RFC 8628), refresh with rotation, revocation (RFC 7009) and metadata. */
export function oauthRoutes(services: AccountServices): readonly ServerRoute[] {
	const post = (
		path: string,
		handle: (services: AccountServices, input: PublicRequest) => Promise<Response>,
	): ServerRoute => ({
		method: 'POST',
		path,
		auth: 'none',
		// Any type: a body that is not a form gets an OAuth error.
		accepts: [],
		handle: input => handle(services, input),
	});
	return [
		{
			method: 'GET',
			path: '/.well-known/oauth-authorization-server',
			auth: 'none',
			handle: ({request}) => Response.json(metadata(requestUrl(request, services))),
		},
		post(paths.device, authorizeDevice),
		post(paths.token, handleTokenRequest),
		post(paths.revocation, revokeToken),
	];
}

/** Returns the metadata of RFC 8414, section 2. There is no authorization endpoint, so there are no response types. */
function metadata(issuer: string) {
	return {
		issuer,
		device_authorization_endpoint: `${issuer}${paths.device}`,
		token_endpoint: `${issuer}${paths.token}`,
		revocation_endpoint: `${issuer}${paths.revocation}`,
		grant_types_supported: [deviceGrant, 'refresh_token'],
		response_types_supported: [],
		token_endpoint_auth_methods_supported: ['none'],
		revocation_endpoint_auth_methods_supported: ['none'],
	};
}

async function handleTokenRequest(services: AccountServices, {request}: PublicRequest): Promise<Response> {
	const form = await readClientForm(request);
	if (form instanceof Response) {
		return form;
	}

	switch (form['grant_type']) {
		case deviceGrant:
			return await pollDevice(services, form);
		case 'refresh_token':
			return await refresh(services, form);
		case undefined:
			return oauthError('invalid_request', 'grant_type is missing.');
		default:
			return oauthError('unsupported_grant_type', 'This server supports the device_code and refresh_token grants.');
	}
}
