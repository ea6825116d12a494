import {noun} from '../../src/command/command.ts';
import verify from './mfa-verify.ts';

export default noun({name: 'mfa', summary: 'Two-factor authentication of your account', verbs: [verify]});
