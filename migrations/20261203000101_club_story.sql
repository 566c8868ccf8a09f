-- What a club tells on its page and its boards: what it raises money for, a photo and its sponsor.
alter table clubs
  add column goal_text text,
  add column goal_cents bigint,
  add column photo_url text,
  add column sponsor_name text,
  add column sponsor_logo_url text,
  add constraint clubs_goal check ((goal_text is null) = (goal_cents is null)
    and char_length(goal_text) between 3 and 80 and goal_cents between 10000 and 100000000),
  add constraint clubs_photo check (char_length(photo_url) <= 500),
  add constraint clubs_sponsor check (char_length(sponsor_name) between 2 and 40
    and char_length(sponsor_logo_url) <= 500 and (sponsor_logo_url is null or sponsor_name is not null));
alter table uploads drop constraint uploads_purpose_check,
  add constraint uploads_purpose_check check (purpose in ('logo', 'bundle-image', 'photo', 'sponsor')) not valid;
