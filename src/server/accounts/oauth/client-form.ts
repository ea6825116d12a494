import {mediaTypeOf} from '../../kit/body.ts';
import {formType, readForm} from '../../kit/form-body.ts';
import {oauthError} from './oauth-response.ts';

/** The only client: the public client of `service` in a terminal. */
export const clientId = 'service-cli';

/** The parameters of a request by name. None may be repeated (RFC 6749, section 3.2). */
type Form = Readonly<Record<string, string>>;

/** Returns the form of a request by our client, or an error response. Parameters without a value are omitted. */
export async function readClientForm(request: Request): Promise<Form | Response> {
	const [, scheme] = /^([A-Za-z-]+)(?: |$)/.exec(request.headers.get('authorization') ?? '') ?? [];
	if (request.headers.has('authorization')) {
		return oauthError('invalid_client', 'This server supports only public clients: send client_id.', scheme ?? 'Basic');
	}

	if (mediaTypeOf(request) !== formType) {
		return oauthError('invalid_request', `Send the parameters as ${formType}.`);
	}

	const form = await readForm(request);
	const given = [...(form ?? [])].filter(([, value]) => value !== '');
	if (!form || new Set(given.map(([name]) => name)).size < given.length) {
		return oauthError('invalid_request', form ? 'A parameter was sent twice.' : 'The form is too large.');
	}

	const {client_id: client, scope, ...rest} = Object.fromEntries(given);
	if (client !== clientId) {
		return oauthError('invalid_client', client ? 'Unknown client_id.' : 'client_id is missing.');
	}

	return scope ? oauthError('invalid_scope', 'This server has no scopes: omit scope.') : rest;
}
