import {expect, test} from 'vitest';
import {childEnvironment} from '../../../../src/agent/tools/child/child-environment.ts';
import {toolVariables} from '../../../../src/agent/tools/child/tool-variables.ts';
import {commandEnvironment} from '../../../../src/agent/tools/command/command-environment.ts';

test.each([
	...['HTTPS_PROXY', 'https_proxy', 'http_proxy', 'ALL_PROXY', 'no_proxy', 'NODE_USE_ENV_PROXY'],
	...[
		'SSL_CERT_FILE',
		'SSL_CERT_DIR',
		'NODE_EXTRA_CA_CERTS',
		'CURL_CA_BUNDLE',
		'REQUESTS_CA_BUNDLE',
		'npm_config_cafile',
	],
	...['NVM_DIR', 'JAVA_HOME', 'UV_CACHE_DIR', 'NPM_CONFIG_REGISTRY', 'XDG_CACHE_HOME'],
])('programs of the user get %s', name => {
	expect(toolVariables({[name]: 'value'})).toEqual({[name]: 'value'});
	expect(commandEnvironment({[name]: 'value'}, false)).toMatchObject({[name]: 'value'});
});

test.each(['APPDATA', 'LocalAppData', 'SystemDrive', 'HOME', 'LC_ALL'])('every child gets %s', name => {
	expect(childEnvironment({[name]: 'value'})).toEqual({[name]: 'value'});
});

test.each([
	['HTTPS_PROXY', 'http://me:pw@proxy:8080'],
	['https_proxy', 'me:pw@proxy:8080'],
	['NPM_CONFIG_REGISTRY', 'https://me:pw@packages.example/'],
	['ANTHROPIC_API_KEY', 'sk-secret'],
	['NODE_OPTIONS', '--require ./evil.js'],
	['npm_config__authToken', 'abc'],
	['AWS_SECRET_ACCESS_KEY', 'abc'],
	['LD_PRELOAD', '/evil.so'],
])('no child gets %s=%s [15]', (name, value) => {
	expect({...childEnvironment({[name]: value}), ...toolVariables({[name]: value})}).toEqual({});
});
