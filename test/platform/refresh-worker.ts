import {openConfig} from '../../src/config/config.ts';
import {originOf} from '../../src/core/origin.ts';
import {secret} from '../../src/core/secrets/secret.ts';
import type {Credential} from '../../src/net/credential.ts';
import {createTransport} from '../../src/net/undici-transport.ts';
import {refreshOf} from '../../src/platform/token-login.ts';
import {openHome} from '../../src/storage/home.ts';

// token-login.test.ts runs this as a process: it renews the login of a profile whose token was rejected.
const [path, server = '', profile = '', token = ''] = process.argv.slice(2);
const parts = {
	config: openConfig(openHome({SERVICE_HOME: path})),
	createTransport: async (credential: Credential | undefined) =>
		createTransport({userAgent: 'service/test', credential}),
};
const refresh = refreshOf(parts, {profile, server: originOf(server), accessToken: secret(token), insecureHttp: false});
const transport = await refresh();
const answer = await transport?.({method: 'GET', url: `${server}/api`});
process.exit(answer?.status === 200 ? 0 : 1);
