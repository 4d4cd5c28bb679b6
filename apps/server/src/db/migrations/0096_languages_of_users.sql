-- why: the console is translated into Spanish
alter table app_user drop constraint app_user_locale_check,
  add constraint app_user_locale_check check (locale in ('en-US', 'zh-CN', 'es-ES'));
