import {expect, test} from 'vitest';
import {isSecretFile} from '../../../src/agent/policy/secret-files.ts';

test.each([
	...['.env', '.env.local', '.ENV.production', 'prod.env', '.envrc', '.npmrc', '.pypirc', '.netrc', '.git-credentials'],
	...['server.pem', 'tls/server.key', 'store.p12', 'id_rsa', 'id_ed25519_work', 'credentials', 'credentials.json'],
	...['kubeconfig', 'prod.kubeconfig', '.docker/config.json', 'service-account.json', 'service-account-prod.json'],
	...['terraform.tfstate', 'terraform.tfstate.backup', 'prod.tfvars', '.aws/config', 'home/.ssh/known_hosts'],
	...['secrets.yaml', 'config/master.key', 'auth.json', '.htpasswd', 'client_secret_1.json'],
	...['.Renviron', '.vault_pass', '.vault_pass.txt', 'api/local.settings.json'],
	// Copies that editors and people leave.
	...[
		'.env~',
		'.env.bak',
		'prod.env.bak',
		'prod.env.old~',
		'..env.swp',
		'.prod.env.swp',
		'#.env#',
		'.#.env',
		'.npmrc.orig',
	],
	...['server.key.1', 'server.pem.save', '.docker/config.json.bak', 'auth.json.tmp'],
])('%s is a secret file by its name', path => {
	expect(isSecretFile(`/repo/${path}`)).toBe(true);
});

test.each([
	...['.env.example', '.env.sample', '.env.template', '.env.dist', '.npmrc.example', 'id_rsa.pub', 'config.json'],
	...['src/credentials.ts', 'test/secrets.test.tsx', 'environment.ts', 'keys.ts', 'monkey.txt', 'docs/credentials.md'],
	...['.env.example~', 'src/credentials.ts.orig', '..readme.md.swp', 'notes.bak', 'data.1'],
	...['package.json', 'tokens.css', 'key', 'pem', 'docker/config.json', 'service.json', 'main.tf'],
])('%s is not a secret file', path => {
	expect(isSecretFile(`/repo/${path}`)).toBe(false);
});
