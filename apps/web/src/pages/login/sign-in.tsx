import { Alert, Button, Checkbox, Input, Modal } from 'antd';
import { Lock, LockKeyhole, UserRound } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import { common } from '#core/i18n/common.messages.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { useStickyTrue } from '#core/react/use-sticky-true.ts';
import { Logo } from '#domain/brand/logo.tsx';
import { LanguageSwitch, ThemeSwitch } from '#domain/brand/preference-switches.tsx';
import { logoVariant, usePublicSettings } from '#domain/brand/public-settings.ts';
import { Dial } from './dial.tsx';
import { Field } from './field.tsx';
import { messages } from './messages.ts';
import { ProviderButtons } from './provider-buttons.tsx';
import { useProvider } from './use-provider.ts';
import { SecondStep } from './second-step.tsx';
import { Slider } from './slider.tsx';
import { lastName, useLogin, type Draft, type SignInProps } from './use-login.ts';
import styles from './login.module.css';

const texts = { ...common, ...messages };

/** Name, password and security check; the caller decides where the sign-in leads. */
export function SignIn(props: SignInProps) {
  const t = useMessages(texts);
  const settings = usePublicSettings();
  const login = useLogin(props);
  const provider = useProvider(props);
  const refusal = login.refusal ?? provider.refusal;
  const [draft, setDraft] = useState<Draft>(() => ({
    username: lastName(),
    password: '',
    directory: undefined,
    agreed: false,
    remembered: lastName() !== '',
  }));
  const [agreementOpen, setAgreementOpen] = useState(false);
  const [capsLock, setCapsLock] = useState(false);
  const change = (part: Partial<Draft>) => {
    setDraft((old) => ({ ...old, ...part }));
    login.fix(part);
  };
  // Text renders first, then the parts that need the component library, and the artwork.
  const isComplete = useDeferredValue(true, false);
  const { problems } = login;
  const errorOf = (key: keyof typeof problems) => (problems[key] ? t(problems[key]) : undefined);

  return (
    <main className={styles['page']}>
      <section className={styles['art']} aria-label={t('appName')}>
        <div className={styles['brand']}>
          <Logo size={36} variant={logoVariant(settings.data?.logo, location.hostname)} />
          {t('appName')}
        </div>
        {isComplete ? <Dial /> : null}
        <p className={styles['notice']}>
          <LockKeyhole size={14} aria-hidden="true" /> {t('notice')}
        </p>
      </section>
      <section className={styles['side']}>
        <div className={styles['switches']}>
          {isComplete ? <LanguageSwitch /> : null}
          <ThemeSwitch />
        </div>
        {login.needsCode ? (
          <SecondStep
            username={draft.username.trim()}
            isBusy={login.isEntering}
            refusal={login.refusal}
            onSubmit={(otp) => login.submitCode(otp, draft)}
            onKey={login.hasKey ? () => void login.submitKey(draft) : undefined}
            onBack={login.goBack}
          />
        ) : (
          <form
            className={styles['form']}
            noValidate
            onSubmit={(event) => {
              event.preventDefault();
              void login.submit(draft);
            }}
          >
            <h1>{t('welcome')}</h1>
            <p className={styles['hint']}>{t('hint')}</p>
            {isComplete ? (
              <>
                {refusal ? <Alert type="error" showIcon title={refusal} role="alert" className={styles['refusal'] ?? ''} /> : null}
                <ProviderButtons
                  providers={settings.data?.providers ?? []}
                  provider={provider}
                  directory={draft.directory}
                  onDirectory={(directory) => change({ directory })}
                  isLocalOff={settings.data?.isLocalOff === true}
                />
                <Field id="username" label={t('userName')} error={errorOf('username')}>
                  <Input
                    id="username"
                    size="large"
                    autoComplete="username"
                    autoFocus
                    maxLength={64}
                    prefix={<UserRound size={16} aria-hidden="true" />}
                    placeholder={t('enterUserName')}
                    value={draft.username}
                    aria-invalid={problems.username !== undefined}
                    aria-describedby={problems.username ? 'username-error' : undefined}
                    {...(problems.username ? { status: 'error' as const } : {})}
                    onBlur={() => login.leave('username', draft.username)}
                    onChange={(event) => change({ username: event.target.value })}
                  />
                </Field>
                <Field id="password" label={t('password')} error={errorOf('password')} note={capsLock ? t('capsLock') : undefined}>
                  <Input.Password
                    id="password"
                    size="large"
                    autoComplete="current-password"
                    maxLength={256}
                    prefix={<Lock size={16} aria-hidden="true" />}
                    placeholder={t('enterPassword')}
                    value={draft.password}
                    aria-invalid={problems.password !== undefined}
                    aria-describedby={problems.password ? 'password-error' : undefined}
                    {...(problems.password ? { status: 'error' as const } : {})}
                    onKeyUp={(event) => setCapsLock(event.getModifierState('CapsLock'))}
                    onBlur={() => login.leave('password', draft.password)}
                    onChange={(event) => change({ password: event.target.value })}
                  />
                </Field>
                <Field label={t('check')} error={errorOf('slider')}>
                  <Slider
                    state={login.isJudging ? 'busy' : login.nonce ? 'verified' : 'open'}
                    invalid={problems.slider !== undefined}
                    onArrived={login.verify}
                  />
                </Field>
                <Checkbox
                  className={styles['remember'] ?? ''}
                  checked={draft.remembered}
                  onChange={(event) => change({ remembered: event.target.checked })}
                >
                  {t('remember')}
                </Checkbox>
                <Field error={errorOf('agreement')}>
                  <Checkbox checked={draft.agreed} onChange={(event) => change({ agreed: event.target.checked })}>
                    {t('agree')}{' '}
                    <a
                      href={settings.data?.agreementUrl ?? '#agreement'}
                      onClick={(event) => {
                        event.preventDefault();
                        if (settings.data?.agreementUrl) window.open(settings.data.agreementUrl, '_blank', 'noopener');
                        else setAgreementOpen(true);
                      }}
                    >
                      {t('agreement')}
                    </a>
                  </Checkbox>
                </Field>
                <Button block type="primary" size="large" htmlType="submit" loading={login.isEntering} className={styles['submit'] ?? ''}>
                  {t('logIn')}
                </Button>
              </>
            ) : null}
          </form>
        )}
      </section>
      {useStickyTrue(agreementOpen) ? (
        <Modal open={agreementOpen} title={t('agreement')} footer={null} onCancel={() => setAgreementOpen(false)}>
          <p>{t('agreementText')}</p>
        </Modal>
      ) : null}
    </main>
  );
}
