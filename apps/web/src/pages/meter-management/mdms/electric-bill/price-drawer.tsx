import { price, priceList, type PriceList } from '@hes/contract/analysis/price.ts';
import { App, Button, InputNumber } from 'antd';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { Field } from '#kit/form/field.tsx';
import { FormDrawer } from '#kit/form/form-drawer.tsx';
import { LoadedDrawer } from '#kit/form/loaded-drawer.tsx';
import { formFields, upper } from '#kit/form/form-fields.tsx';
import { useForm } from '#kit/form/use-form.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { Properties } from '#kit/basics/text.tsx';
import { texts } from './messages.ts';

const TARIFFS = [0, 1, 2, 3] as const;
const DECIMALS = 6;

const startOf = (list: PriceList | undefined, today: string) => ({
  validFrom: list?.validFrom ?? `${today.slice(0, 7)}-01`,
  name: list?.name ?? '',
  currency: list?.currency ?? 'CNY',
  plus: list?.plus ?? [0, 0, 0, 0],
  minus: list?.minus ?? [0, 0, 0, 0],
});

/** Prices as entered; one price when all tariffs cost the same. */
const pricesOf = (prices: readonly number[]): string => (new Set(prices).size === 1 ? prices.slice(0, 1) : prices).join(' · ');

interface Props {
  lists: PriceList[];
  today: string;
  onClose: () => void;
  onDone: () => void;
}

function PriceForm({ lists, today, onClose, onDone }: Props) {
  const t = useMessages(texts);
  const { message } = App.useApp();
  const form = useForm(startOf(lists[0], today));
  const save = useApiMutation(price.save, {
    success: () => {
      void message.success(t('pricesSaved'));
      onDone();
    },
    failure: form.refuse,
  });
  const labels = { validFrom: t('validFrom'), name: t('name'), currency: t('currency') };
  const field = formFields(form, labels);
  const four = (direction: 'plus' | 'minus', label: 'importPrice' | 'exportPrice') =>
    TARIFFS.map((k) => (
      <Field key={`${direction}${k}`} name={`${direction}.${k}`} label={t(label, { n: k + 1 })}>
        {(control) => (
          <InputNumber
            {...control}
            min={0}
            precision={DECIMALS}
            suffix={`${form.values.currency}/kWh`}
            style={{ width: '100%' }}
            value={form.values[direction][k] ?? 0}
            onChange={(value) => form.set({ [direction]: form.values[direction].map((old, at) => (at === k ? (value ?? 0) : old)) })}
          />
        )}
      </Field>
    ));
  return (
    <FormDrawer
      record="price-list"
      title={t('priceTitle')}
      form={form}
      labels={labels}
      saving={save.isPending}
      note={t('priceNote')}
      onClose={onClose}
      onSave={() => {
        const body = form.check(priceList);
        if (body) save.mutate({ body });
      }}
    >
      {field.text('name', { required: true, max: 64 })}
      {field.text('currency', { required: true, max: 3, as: upper })}
      {field.date('validFrom', { required: true, wide: true })}
      {four('plus', 'importPrice')}
      {four('minus', 'exportPrice')}
      {lists.length > 0 ? (
        <div style={{ gridColumn: '1 / -1' }}>
          <h3>{t('lists')}</h3>
          <Properties
            items={lists.map((list) => ({
              label: `${list.validFrom} ${list.name}`,
              value: (
                <>
                  {t('listPrices', { plus: pricesOf(list.plus), minus: pricesOf(list.minus), currency: list.currency })}
                  <Button type="link" size="small" onClick={() => form.set(startOf(list, today))}>
                    {t('change')}
                  </Button>
                </>
              ),
              wide: true,
            }))}
          />
        </div>
      ) : null}
    </FormDrawer>
  );
}

/** Prices by tariff and direction, valid from a day on. */
export function PriceDrawer(props: Omit<Props, 'lists'>) {
  const t = useMessages(texts);
  return (
    <LoadedDrawer query={useApiQuery(price.list)} title={t('priceTitle')} onClose={props.onClose}>
      {({ items }) => <PriceForm {...props} lists={items} />}
    </LoadedDrawer>
  );
}
